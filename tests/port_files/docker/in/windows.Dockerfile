# escape=`
FROM ubuntu:22.04
ENV DEVICE=cuda `
    CUDA_VISIBLE_DEVICES=0
