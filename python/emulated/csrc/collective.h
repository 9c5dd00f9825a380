// Collective: a torch.distributed backend ("hccl", "cncl") over an inner one. As thread safe as the inner backend.
#pragma once

#include <torch/csrc/distributed/c10d/Backend.hpp>

namespace starbridge::device {

class Collective final : public c10d::Backend {
 public:
  Collective(c10::intrusive_ptr<c10d::Backend> inner, std::string name) : c10d::Backend(inner->getRank(), inner->getSize()), inner_(std::move(inner)), name_(std::move(name)) {}

  const std::string getBackendName() const override { return name_; }
  c10::intrusive_ptr<c10d::Work> broadcast(std::vector<at::Tensor>&, const c10d::BroadcastOptions&) override;
  c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>&, const c10d::AllreduceOptions&) override;
  c10::intrusive_ptr<c10d::Work> allreduce_coalesced(std::vector<at::Tensor>&, const c10d::AllreduceCoalescedOptions&) override;
  c10::intrusive_ptr<c10d::Work> reduce(std::vector<at::Tensor>&, const c10d::ReduceOptions&) override;
  c10::intrusive_ptr<c10d::Work> allgather(std::vector<std::vector<at::Tensor>>&, std::vector<at::Tensor>&, const c10d::AllgatherOptions&) override;
  c10::intrusive_ptr<c10d::Work> _allgather_base(at::Tensor&, at::Tensor&, const c10d::AllgatherOptions&) override;
  c10::intrusive_ptr<c10d::Work> gather(std::vector<std::vector<at::Tensor>>&, std::vector<at::Tensor>&, const c10d::GatherOptions&) override;
  c10::intrusive_ptr<c10d::Work> scatter(std::vector<at::Tensor>&, std::vector<std::vector<at::Tensor>>&, const c10d::ScatterOptions&) override;
  c10::intrusive_ptr<c10d::Work> reduce_scatter(std::vector<at::Tensor>&, std::vector<std::vector<at::Tensor>>&, const c10d::ReduceScatterOptions&) override;
  c10::intrusive_ptr<c10d::Work> _reduce_scatter_base(at::Tensor&, at::Tensor&, const c10d::ReduceScatterOptions&) override;
  c10::intrusive_ptr<c10d::Work> alltoall_base(at::Tensor&, at::Tensor&, std::vector<std::int64_t>&, std::vector<std::int64_t>&, const c10d::AllToAllOptions&) override;
  c10::intrusive_ptr<c10d::Work> send(std::vector<at::Tensor>&, int, int) override;
  c10::intrusive_ptr<c10d::Work> recv(std::vector<at::Tensor>&, int, int) override;
  c10::intrusive_ptr<c10d::Work> barrier(const c10d::BarrierOptions&) override;

 private:
  c10::intrusive_ptr<c10d::Work> done(const c10::intrusive_ptr<c10d::Work>& work, c10d::OpType type, std::vector<at::Tensor> outputs) const;
  c10::intrusive_ptr<c10d::Backend> inner_;
  std::string name_;
};

}  // namespace starbridge::device
