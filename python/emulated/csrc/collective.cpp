// The vendors' collectives over gloo: tensors of the device go in as CPU views of the same bytes, so results land in place.
// Each call waits for its end; a collective of one process group is never outrun by the next.
#include "collective.h"

#include <ATen/core/ivalue.h>

#include "memory.h"

namespace starbridge::device {
namespace {

using c10d::Work;
using Tensors = std::vector<at::Tensor>;

at::Tensor view_of(const at::Tensor& tensor) { return tensor.device().type() == c10::DeviceType::PrivateUse1 ? cpu_view(tensor) : tensor; }

Tensors views_of(const Tensors& tensors) {
  Tensors views;
  for (const at::Tensor& tensor : tensors) views.push_back(view_of(tensor));
  return views;
}

std::vector<Tensors> views_of(const std::vector<Tensors>& lists) {
  std::vector<Tensors> views;
  for (const Tensors& list : lists) views.push_back(views_of(list));
  return views;
}

// A collective that has ended; its future holds the device's tensors.
class DoneWork final : public Work {
 public:
  DoneWork(int rank, c10d::OpType type, Tensors outputs) : Work(rank, type), outputs_(std::move(outputs)) {
    future_ = c10::make_intrusive<c10::ivalue::Future>(c10::ListType::create(c10::TensorType::get()));
    future_->markCompleted(c10::IValue(outputs_));
    finish();
  }
  bool isCompleted() override { return true; }
  bool isSuccess() const override { return true; }
  bool wait(std::chrono::milliseconds) override { return true; }
  void synchronize() override {}
  Tensors result() override { return outputs_; }
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override { return future_; }

 private:
  Tensors outputs_;
  c10::intrusive_ptr<c10::ivalue::Future> future_;
};

}  // namespace

c10::intrusive_ptr<Work> Collective::done(const c10::intrusive_ptr<Work>& work, c10d::OpType type, Tensors outputs) const {
  work->wait();
  return c10::make_intrusive<DoneWork>(getRank(), type, std::move(outputs));
}

c10::intrusive_ptr<Work> Collective::broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) {
  Tensors views = views_of(tensors);
  return done(inner_->broadcast(views, options), c10d::OpType::BROADCAST, tensors);
}

c10::intrusive_ptr<Work> Collective::allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) {
  Tensors views = views_of(tensors);
  c10d::AllreduceOptions summed = options;
  // gloo has no average.
  bool is_average = options.reduceOp == c10d::ReduceOp::AVG;
  if (is_average) summed.reduceOp = c10d::ReduceOp::SUM;
  auto work = done(inner_->allreduce(views, summed), c10d::OpType::ALLREDUCE, tensors);
  if (is_average) {
    for (at::Tensor& view : views) view.div_(getSize());
  }
  return work;
}

c10::intrusive_ptr<Work> Collective::allreduce_coalesced(Tensors& tensors, const c10d::AllreduceCoalescedOptions& options) {
  Tensors views = views_of(tensors);
  return done(inner_->allreduce_coalesced(views, options), c10d::OpType::ALLREDUCE_COALESCED, tensors);
}

c10::intrusive_ptr<Work> Collective::reduce(Tensors& tensors, const c10d::ReduceOptions& options) {
  Tensors views = views_of(tensors);
  return done(inner_->reduce(views, options), c10d::OpType::REDUCE, tensors);
}

c10::intrusive_ptr<Work> Collective::allgather(std::vector<Tensors>& outputs, Tensors& inputs, const c10d::AllgatherOptions& options) {
  std::vector<Tensors> out_views = views_of(outputs);
  Tensors in_views = views_of(inputs);
  return done(inner_->allgather(out_views, in_views, options), c10d::OpType::ALLGATHER, outputs.empty() ? Tensors() : outputs[0]);
}

c10::intrusive_ptr<Work> Collective::_allgather_base(at::Tensor& output, at::Tensor& input, const c10d::AllgatherOptions& options) {
  at::Tensor out_view = view_of(output);
  at::Tensor in_view = view_of(input);
  return done(inner_->_allgather_base(out_view, in_view, options), c10d::OpType::_ALLGATHER_BASE, {output});
}

c10::intrusive_ptr<Work> Collective::gather(std::vector<Tensors>& outputs, Tensors& inputs, const c10d::GatherOptions& options) {
  std::vector<Tensors> out_views = views_of(outputs);
  Tensors in_views = views_of(inputs);
  return done(inner_->gather(out_views, in_views, options), c10d::OpType::GATHER, outputs.empty() ? Tensors() : outputs[0]);
}

c10::intrusive_ptr<Work> Collective::scatter(Tensors& outputs, std::vector<Tensors>& inputs, const c10d::ScatterOptions& options) {
  Tensors out_views = views_of(outputs);
  std::vector<Tensors> in_views = views_of(inputs);
  return done(inner_->scatter(out_views, in_views, options), c10d::OpType::SCATTER, outputs);
}

c10::intrusive_ptr<Work> Collective::reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs, const c10d::ReduceScatterOptions& options) {
  Tensors out_views = views_of(outputs);
  std::vector<Tensors> in_views = views_of(inputs);
  return done(inner_->reduce_scatter(out_views, in_views, options), c10d::OpType::REDUCE_SCATTER, outputs);
}

c10::intrusive_ptr<Work> Collective::_reduce_scatter_base(at::Tensor& output, at::Tensor& input, const c10d::ReduceScatterOptions& options) {
  at::Tensor out_view = view_of(output);
  at::Tensor in_view = view_of(input);
  return done(inner_->_reduce_scatter_base(out_view, in_view, options), c10d::OpType::_REDUCE_SCATTER_BASE, {output});
}

c10::intrusive_ptr<Work> Collective::alltoall_base(at::Tensor& output, at::Tensor& input, std::vector<std::int64_t>& output_splits, std::vector<std::int64_t>& input_splits,
                                                   const c10d::AllToAllOptions& options) {
  at::Tensor out_view = view_of(output);
  at::Tensor in_view = view_of(input);
  return done(inner_->alltoall_base(out_view, in_view, output_splits, input_splits, options), c10d::OpType::ALLTOALL_BASE, {output});
}

c10::intrusive_ptr<Work> Collective::send(Tensors& tensors, int to, int tag) {
  Tensors views = views_of(tensors);
  return done(inner_->send(views, to, tag), c10d::OpType::SEND, tensors);
}

c10::intrusive_ptr<Work> Collective::recv(Tensors& tensors, int from, int tag) {
  Tensors views = views_of(tensors);
  return done(inner_->recv(views, from, tag), c10d::OpType::RECV, tensors);
}

c10::intrusive_ptr<Work> Collective::barrier(const c10d::BarrierOptions& options) {
  c10d::BarrierOptions plain = options;
  plain.device_ids.clear();
  plain.device.reset();
  return done(inner_->barrier(plain), c10d::OpType::BARRIER, {});
}

}  // namespace starbridge::device
