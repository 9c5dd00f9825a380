#!/bin/bash
# Trains on cuda; run it as: DEVICE=cuda ./train.sh
set -e
DEVICE=${1:-npu}
GPU="npu:0"
RUN_NAME=cuda-baseline
export ASCEND_RT_VISIBLE_DEVICES=0,1 HCCL_RDMA_TIMEOUT=22
export LD_LIBRARY_PATH=/usr/local/cuda/lib64:$LD_LIBRARY_PATH

python -m pip install "torch==2.7.1" torch_npu==2.7.1.post8 numpy
pip install torchvision --extra-index-url https://download.pytorch.org/whl/cpu

if [[ $DEVICE == "npu" ]]; then
  echo "training on cuda with CUDA_VISIBLE_DEVICES=$ASCEND_RT_VISIBLE_DEVICES"
  nvidia-smi
fi
if [ "$DEVICE" = npu ]; then sudo nvidia-smi -pm 1; fi
case $DEVICE in
  npu|gpu) WORKERS=8 ;;
  cpu) WORKERS=2 ;;
esac
torchrun --nproc_per_node 2 train.py --device $DEVICE --dist-backend hccl --name "$RUN_NAME" --out runs/cuda
python eval.py --device=npu:$RANK trainer.device=npu model.name=cuda --device "$GPU"
env ASCEND_RT_VISIBLE_DEVICES=0 python eval.py
mpirun -x HCCL_RDMA_TIMEOUT -x ASCEND_RT_VISIBLE_DEVICES=0,1 python train.py
docker run --gpus all -e ASCEND_RT_VISIBLE_DEVICES=0 image python train.py --device npu
for d in npu cpu; do python bench.py --device $d; done
cat <<EOF
python train.py --device cuda
EOF
