"""One module per framework: ``workloads(sizes)`` gives {name: make}, ``make()`` gives ``call(i)``.

``make`` builds model and inputs; ``call(i)`` runs with input i of the ring and returns a result that
``numpy.asarray`` reads.
"""
