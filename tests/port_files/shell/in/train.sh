#!/bin/bash
# Trains on cuda; run it as: DEVICE=cuda ./train.sh
set -e
DEVICE=${1:-cuda}
GPU="cuda:0"
RUN_NAME=cuda-baseline
export CUDA_VISIBLE_DEVICES=0,1 NCCL_IB_TIMEOUT=22
export LD_LIBRARY_PATH=/usr/local/cuda/lib64:$LD_LIBRARY_PATH

python -m pip install "torch==2.7.1" numpy
pip install torchvision --index-url https://download.pytorch.org/whl/cu118

if [[ $DEVICE == "cuda" ]]; then
  echo "training on cuda with CUDA_VISIBLE_DEVICES=$CUDA_VISIBLE_DEVICES"
  nvidia-smi
fi
if [ "$DEVICE" = cuda ]; then sudo nvidia-smi -pm 1; fi
case $DEVICE in
  cuda|gpu) WORKERS=8 ;;
  cpu) WORKERS=2 ;;
esac
torchrun --nproc_per_node 2 train.py --device $DEVICE --dist-backend nccl --name "$RUN_NAME" --out runs/cuda
python eval.py --device=cuda:$RANK trainer.device=cuda model.name=cuda --device "$GPU"
env CUDA_VISIBLE_DEVICES=0 python eval.py
mpirun -x NCCL_IB_TIMEOUT -x CUDA_VISIBLE_DEVICES=0,1 python train.py
docker run --gpus all -e CUDA_VISIBLE_DEVICES=0 image python train.py --device cuda
for d in cuda cpu; do python bench.py --device $d; done
cat <<EOF
python train.py --device cuda
EOF
