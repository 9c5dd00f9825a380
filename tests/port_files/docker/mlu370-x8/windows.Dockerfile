# escape=`
FROM ubuntu:22.04
ENV DEVICE=mlu `
    MLU_VISIBLE_DEVICES=0
