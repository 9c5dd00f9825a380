#!/bin/bash
# Trains on cuda; run it as: DEVICE=cuda ./train.sh
set -e
DEVICE=${1:-mlu}
GPU="mlu:0"
RUN_NAME=cuda-baseline
export MLU_VISIBLE_DEVICES=0,1 NCCL_IB_TIMEOUT=22
export LD_LIBRARY_PATH=/usr/local/cuda/lib64:$LD_LIBRARY_PATH

python -m pip install "torch==2.7.1" numpy
pip install torchvision --extra-index-url https://download.pytorch.org/whl/cpu

if [[ $DEVICE == "mlu" ]]; then
  echo "training on cuda with CUDA_VISIBLE_DEVICES=$MLU_VISIBLE_DEVICES"
  nvidia-smi
fi
if [ "$DEVICE" = mlu ]; then sudo nvidia-smi -pm 1; fi
case $DEVICE in
  mlu|gpu) WORKERS=8 ;;
  cpu) WORKERS=2 ;;
esac
torchrun --nproc_per_node 2 train.py --device $DEVICE --dist-backend cncl --name "$RUN_NAME" --out runs/cuda
python eval.py --device=mlu:$RANK trainer.device=mlu model.name=cuda --device "$GPU"
env MLU_VISIBLE_DEVICES=0 python eval.py
mpirun -x NCCL_IB_TIMEOUT -x MLU_VISIBLE_DEVICES=0,1 python train.py
docker run --gpus all -e MLU_VISIBLE_DEVICES=0 image python train.py --device mlu
for d in mlu cpu; do python bench.py --device $d; done
cat <<EOF
python train.py --device cuda
EOF
