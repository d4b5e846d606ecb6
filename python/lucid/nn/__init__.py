"""Modules, layers and losses."""

from . import functional as functional
from . import init as init
from . import utils as utils
from ._activation import CELU as CELU
from ._activation import ELU as ELU
from ._activation import GELU as GELU
from ._activation import GLU as GLU
from ._activation import SELU as SELU
from ._activation import Hardshrink as Hardshrink
from ._activation import Hardsigmoid as Hardsigmoid
from ._activation import Hardswish as Hardswish
from ._activation import Hardtanh as Hardtanh
from ._activation import LeakyReLU as LeakyReLU
from ._activation import LogSigmoid as LogSigmoid
from ._activation import LogSoftmax as LogSoftmax
from ._activation import Mish as Mish
from ._activation import PReLU as PReLU
from ._activation import ReLU as ReLU
from ._activation import ReLU6 as ReLU6
from ._activation import RReLU as RReLU
from ._activation import Sigmoid as Sigmoid
from ._activation import SiLU as SiLU
from ._activation import Softmax as Softmax
from ._activation import Softmax2d as Softmax2d
from ._activation import Softmin as Softmin
from ._activation import Softplus as Softplus
from ._activation import Softshrink as Softshrink
from ._activation import Softsign as Softsign
from ._activation import Tanh as Tanh
from ._activation import Tanhshrink as Tanhshrink
from ._activation import Threshold as Threshold
from ._attention import MultiheadAttention as MultiheadAttention
from ._containers import ModuleDict as ModuleDict
from ._containers import ModuleList as ModuleList
from ._containers import ParameterDict as ParameterDict
from ._containers import ParameterList as ParameterList
from ._containers import Sequential as Sequential
from ._conv import Conv1d as Conv1d
from ._conv import Conv2d as Conv2d
from ._conv import ConvTranspose1d as ConvTranspose1d
from ._conv import ConvTranspose2d as ConvTranspose2d
from ._dropout import AlphaDropout as AlphaDropout
from ._dropout import Dropout as Dropout
from ._dropout import Dropout1d as Dropout1d
from ._dropout import Dropout2d as Dropout2d
from ._dropout import FeatureAlphaDropout as FeatureAlphaDropout
from ._linear import Bilinear as Bilinear
from ._linear import Embedding as Embedding
from ._linear import EmbeddingBag as EmbeddingBag
from ._linear import Identity as Identity
from ._linear import Linear as Linear
from ._loss import BCELoss as BCELoss
from ._loss import BCEWithLogitsLoss as BCEWithLogitsLoss
from ._loss import CosineEmbeddingLoss as CosineEmbeddingLoss
from ._loss import CosineSimilarity as CosineSimilarity
from ._loss import CrossEntropyLoss as CrossEntropyLoss
from ._loss import CTCLoss as CTCLoss
from ._loss import GaussianNLLLoss as GaussianNLLLoss
from ._loss import HingeEmbeddingLoss as HingeEmbeddingLoss
from ._loss import HuberLoss as HuberLoss
from ._loss import KLDivLoss as KLDivLoss
from ._loss import L1Loss as L1Loss
from ._loss import MarginRankingLoss as MarginRankingLoss
from ._loss import MSELoss as MSELoss
from ._loss import MultiLabelMarginLoss as MultiLabelMarginLoss
from ._loss import MultiLabelSoftMarginLoss as MultiLabelSoftMarginLoss
from ._loss import MultiMarginLoss as MultiMarginLoss
from ._loss import NLLLoss as NLLLoss
from ._loss import PairwiseDistance as PairwiseDistance
from ._loss import PoissonNLLLoss as PoissonNLLLoss
from ._loss import SmoothL1Loss as SmoothL1Loss
from ._loss import SoftMarginLoss as SoftMarginLoss
from ._loss import TripletMarginLoss as TripletMarginLoss
from ._module import Module as Module
from ._norm import BatchNorm1d as BatchNorm1d
from ._norm import BatchNorm2d as BatchNorm2d
from ._norm import GroupNorm as GroupNorm
from ._norm import InstanceNorm1d as InstanceNorm1d
from ._norm import InstanceNorm2d as InstanceNorm2d
from ._norm import LayerNorm as LayerNorm
from ._norm import LocalResponseNorm as LocalResponseNorm
from ._norm import RMSNorm as RMSNorm
from ._parameter import Buffer as Buffer
from ._parameter import Parameter as Parameter
from ._pool import AdaptiveAvgPool1d as AdaptiveAvgPool1d
from ._pool import AdaptiveAvgPool2d as AdaptiveAvgPool2d
from ._pool import AdaptiveMaxPool1d as AdaptiveMaxPool1d
from ._pool import AdaptiveMaxPool2d as AdaptiveMaxPool2d
from ._pool import AvgPool1d as AvgPool1d
from ._pool import AvgPool2d as AvgPool2d
from ._pool import LPPool1d as LPPool1d
from ._pool import LPPool2d as LPPool2d
from ._pool import MaxPool1d as MaxPool1d
from ._pool import MaxPool2d as MaxPool2d
from ._recurrent import GRU as GRU
from ._recurrent import LSTM as LSTM
from ._recurrent import RNN as RNN
from ._recurrent import GRUCell as GRUCell
from ._recurrent import LSTMCell as LSTMCell
from ._recurrent import RNNCell as RNNCell
from ._shape import ChannelShuffle as ChannelShuffle
from ._shape import CircularPad1d as CircularPad1d
from ._shape import CircularPad2d as CircularPad2d
from ._shape import ConstantPad1d as ConstantPad1d
from ._shape import ConstantPad2d as ConstantPad2d
from ._shape import Flatten as Flatten
from ._shape import Fold as Fold
from ._shape import PixelShuffle as PixelShuffle
from ._shape import PixelUnshuffle as PixelUnshuffle
from ._shape import ReflectionPad1d as ReflectionPad1d
from ._shape import ReflectionPad2d as ReflectionPad2d
from ._shape import ReplicationPad1d as ReplicationPad1d
from ._shape import ReplicationPad2d as ReplicationPad2d
from ._shape import Unflatten as Unflatten
from ._shape import Unfold as Unfold
from ._shape import Upsample as Upsample
from ._shape import UpsamplingBilinear2d as UpsamplingBilinear2d
from ._shape import UpsamplingNearest2d as UpsamplingNearest2d
from ._shape import ZeroPad1d as ZeroPad1d
from ._shape import ZeroPad2d as ZeroPad2d
from ._transformer import Transformer as Transformer
from ._transformer import TransformerDecoder as TransformerDecoder
from ._transformer import TransformerDecoderLayer as TransformerDecoderLayer
from ._transformer import TransformerEncoder as TransformerEncoder
from ._transformer import TransformerEncoderLayer as TransformerEncoderLayer

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "GRU",
    "LSTM",
    "RNN",
    "SELU",
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AlphaDropout",
    "AvgPool1d",
    "AvgPool2d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "Bilinear",
    "Buffer",
    "CTCLoss",
    "ChannelShuffle",
    "CircularPad1d",
    "CircularPad2d",
    "ConstantPad1d",
    "ConstantPad2d",
    "Conv1d",
    "Conv2d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "CosineEmbeddingLoss",
    "CosineSimilarity",
    "CrossEntropyLoss",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Embedding",
    "EmbeddingBag",
    "FeatureAlphaDropout",
    "Flatten",
    "Fold",
    "GRUCell",
    "GaussianNLLLoss",
    "GroupNorm",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "Identity",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "KLDivLoss",
    "L1Loss",
    "LPPool1d",
    "LPPool2d",
    "LSTMCell",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LocalResponseNorm",
    "LogSigmoid",
    "LogSoftmax",
    "MSELoss",
    "MarginRankingLoss",
    "MaxPool1d",
    "MaxPool2d",
    "Mish",
    "Module",
    "ModuleDict",
    "ModuleList",
    "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "MultiheadAttention",
    "NLLLoss",
    "PReLU",
    "PairwiseDistance",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "PixelShuffle",
    "PixelUnshuffle",
    "PoissonNLLLoss",
    "RMSNorm",
    "RNNCell",
    "RReLU",
    "ReLU",
    "ReLU6",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "TripletMarginLoss",
    "Unflatten",
    "Unfold",
    "Upsample",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
    "ZeroPad1d",
    "ZeroPad2d",
    "functional",
    "init",
    "utils",
]
