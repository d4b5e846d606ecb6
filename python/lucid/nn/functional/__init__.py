"""The functions behind the layers."""

from ._activation import celu as celu
from ._activation import elu as elu
from ._activation import gelu as gelu
from ._activation import glu as glu
from ._activation import gumbel_softmax as gumbel_softmax
from ._activation import hardshrink as hardshrink
from ._activation import hardsigmoid as hardsigmoid
from ._activation import hardswish as hardswish
from ._activation import hardtanh as hardtanh
from ._activation import leaky_relu as leaky_relu
from ._activation import log_softmax as log_softmax
from ._activation import logsigmoid as logsigmoid
from ._activation import mish as mish
from ._activation import normalize as normalize
from ._activation import prelu as prelu
from ._activation import relu as relu
from ._activation import relu6 as relu6
from ._activation import relu_ as relu_
from ._activation import rrelu as rrelu
from ._activation import selu as selu
from ._activation import sigmoid as sigmoid
from ._activation import silu as silu
from ._activation import softmax as softmax
from ._activation import softmin as softmin
from ._activation import softplus as softplus
from ._activation import softshrink as softshrink
from ._activation import softsign as softsign
from ._activation import tanh as tanh
from ._activation import tanhshrink as tanhshrink
from ._activation import threshold as threshold
from ._attention import scaled_dot_product_attention as scaled_dot_product_attention
from ._conv import conv1d as conv1d
from ._conv import conv2d as conv2d
from ._conv import conv_transpose1d as conv_transpose1d
from ._conv import conv_transpose2d as conv_transpose2d
from ._linear import alpha_dropout as alpha_dropout
from ._linear import bilinear as bilinear
from ._linear import dropout as dropout
from ._linear import dropout1d as dropout1d
from ._linear import dropout2d as dropout2d
from ._linear import embedding as embedding
from ._linear import embedding_bag as embedding_bag
from ._linear import feature_alpha_dropout as feature_alpha_dropout
from ._linear import linear as linear
from ._linear import one_hot as one_hot
from ._loss import binary_cross_entropy as binary_cross_entropy
from ._loss import binary_cross_entropy_with_logits as binary_cross_entropy_with_logits
from ._loss import cosine_embedding_loss as cosine_embedding_loss
from ._loss import cosine_similarity as cosine_similarity
from ._loss import cross_entropy as cross_entropy
from ._loss import ctc_loss as ctc_loss
from ._loss import gaussian_nll_loss as gaussian_nll_loss
from ._loss import hinge_embedding_loss as hinge_embedding_loss
from ._loss import huber_loss as huber_loss
from ._loss import kl_div as kl_div
from ._loss import l1_loss as l1_loss
from ._loss import margin_ranking_loss as margin_ranking_loss
from ._loss import mse_loss as mse_loss
from ._loss import multi_margin_loss as multi_margin_loss
from ._loss import multilabel_margin_loss as multilabel_margin_loss
from ._loss import multilabel_soft_margin_loss as multilabel_soft_margin_loss
from ._loss import nll_loss as nll_loss
from ._loss import pairwise_distance as pairwise_distance
from ._loss import poisson_nll_loss as poisson_nll_loss
from ._loss import smooth_l1_loss as smooth_l1_loss
from ._loss import soft_margin_loss as soft_margin_loss
from ._loss import triplet_margin_loss as triplet_margin_loss
from ._norm import batch_norm as batch_norm
from ._norm import group_norm as group_norm
from ._norm import instance_norm as instance_norm
from ._norm import layer_norm as layer_norm
from ._norm import local_response_norm as local_response_norm
from ._norm import rms_norm as rms_norm
from ._pool import adaptive_avg_pool1d as adaptive_avg_pool1d
from ._pool import adaptive_avg_pool2d as adaptive_avg_pool2d
from ._pool import adaptive_max_pool1d as adaptive_max_pool1d
from ._pool import adaptive_max_pool2d as adaptive_max_pool2d
from ._pool import avg_pool1d as avg_pool1d
from ._pool import avg_pool2d as avg_pool2d
from ._pool import lp_pool1d as lp_pool1d
from ._pool import lp_pool2d as lp_pool2d
from ._pool import max_pool1d as max_pool1d
from ._pool import max_pool2d as max_pool2d
from ._spatial import channel_shuffle as channel_shuffle
from ._spatial import fold as fold
from ._spatial import interpolate as interpolate
from ._spatial import pad as pad
from ._spatial import pixel_shuffle as pixel_shuffle
from ._spatial import pixel_unshuffle as pixel_unshuffle
from ._spatial import unfold as unfold
from ._spatial import upsample as upsample

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "alpha_dropout",
    "avg_pool1d",
    "avg_pool2d",
    "batch_norm",
    "bilinear",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "celu",
    "channel_shuffle",
    "conv1d",
    "conv2d",
    "conv_transpose1d",
    "conv_transpose2d",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "ctc_loss",
    "dropout",
    "dropout1d",
    "dropout2d",
    "elu",
    "embedding",
    "embedding_bag",
    "feature_alpha_dropout",
    "fold",
    "gaussian_nll_loss",
    "gelu",
    "glu",
    "group_norm",
    "gumbel_softmax",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hinge_embedding_loss",
    "huber_loss",
    "instance_norm",
    "interpolate",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "linear",
    "local_response_norm",
    "log_softmax",
    "logsigmoid",
    "lp_pool1d",
    "lp_pool2d",
    "margin_ranking_loss",
    "max_pool1d",
    "max_pool2d",
    "mish",
    "mse_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "pairwise_distance",
    "pixel_shuffle",
    "pixel_unshuffle",
    "poisson_nll_loss",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "rms_norm",
    "rrelu",
    "scaled_dot_product_attention",
    "selu",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
    "soft_margin_loss",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "triplet_margin_loss",
    "unfold",
    "upsample",
]
