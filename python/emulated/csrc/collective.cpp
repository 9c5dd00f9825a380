#include "collective.h"

#include <torch/csrc/distributed/c10d/Work.hpp>

#include "alias.h"

namespace starbridge::emulated {
namespace {

using Tensors = std::vector<at::Tensor>;
using WorkPtr = c10::intrusive_ptr<c10d::Work>;

// A finished call: its future holds the caller's own tensors, which DistributedDataParallel reads back.
class DoneWork final : public c10d::Work {
 public:
  DoneWork(int rank, c10d::OpType type, Tensors tensors) : c10d::Work(rank, type), tensors_(std::move(tensors)) {
    std::vector<c10::Device> devices;
    for (const at::Tensor& tensor : tensors_) {
      if (is_device_tensor(tensor) && devices.empty()) devices.push_back(tensor.device());
    }
    future_ = c10::make_intrusive<c10::ivalue::Future>(c10::ListType::create(c10::TensorType::get()), devices);
    future_->markCompleted(c10::IValue(tensors_));
    finish();
  }
  bool isCompleted() override { return true; }
  bool isSuccess() const override { return true; }
  bool wait(std::chrono::milliseconds) override { return true; }
  void synchronize() override {}
  void blockCurrentStream() override {}
  Tensors result() override { return tensors_; }
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override { return future_; }

 private:
  Tensors tensors_;
  c10::intrusive_ptr<c10::ivalue::Future> future_;
};

std::vector<Tensors> host_lists(const std::vector<Tensors>& lists) {
  std::vector<Tensors> result;
  for (const Tensors& list : lists) result.push_back(host_tensors(list));
  return result;
}

class Collective final : public c10d::Backend {
 public:
  Collective(c10::intrusive_ptr<c10d::Backend> inner, std::string name)
      : c10d::Backend(inner->getRank(), inner->getSize()), inner_(std::move(inner)), name_(std::move(name)) {}

  const std::string getBackendName() const override { return name_; }
  void setTimeout(std::chrono::milliseconds timeout) override { inner_->setTimeout(timeout); }
  void setSequenceNumberForGroup() override { inner_->setSequenceNumberForGroup(); }
  uint64_t getSequenceNumberForGroup() override { return inner_->getSequenceNumberForGroup(); }

  WorkPtr broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) override {
    Tensors host = host_tensors(tensors);
    return done(inner_->broadcast(host, options), c10d::OpType::BROADCAST, tensors);
  }
  WorkPtr allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) override {
    Tensors host = host_tensors(tensors);
    c10d::AllreduceOptions plain = options;
    bool is_average = take_average(plain.reduceOp);
    WorkPtr work = done(inner_->allreduce(host, plain), c10d::OpType::ALLREDUCE, tensors);
    divide(is_average, host);
    return work;
  }
  WorkPtr allreduce_coalesced(Tensors& tensors, const c10d::AllreduceCoalescedOptions& options) override {
    c10d::AllreduceOptions each;
    each.reduceOp = options.reduceOp;
    each.timeout = options.timeout;
    for (at::Tensor& tensor : tensors) {
      Tensors one{tensor};
      allreduce(one, each);
    }
    return c10::make_intrusive<DoneWork>(getRank(), c10d::OpType::ALLREDUCE_COALESCED, tensors);
  }
  WorkPtr reduce(Tensors& tensors, const c10d::ReduceOptions& options) override {
    Tensors host = host_tensors(tensors);
    c10d::ReduceOptions plain = options;
    bool is_average = take_average(plain.reduceOp);
    WorkPtr work = done(inner_->reduce(host, plain), c10d::OpType::REDUCE, tensors);
    divide(is_average && getRank() == options.rootRank, host);
    return work;
  }
  WorkPtr allgather(std::vector<Tensors>& outputs, Tensors& inputs, const c10d::AllgatherOptions& options) override {
    std::vector<Tensors> host_outputs = host_lists(outputs);
    Tensors host_inputs = host_tensors(inputs);
    return done(inner_->allgather(host_outputs, host_inputs, options), c10d::OpType::ALLGATHER, outputs.at(0));
  }
  WorkPtr _allgather_base(at::Tensor& output, at::Tensor& input, const c10d::AllgatherOptions& options) override {
    at::Tensor host_output = host_tensor(output);
    at::Tensor host_input = host_tensor(input);
    return done(inner_->_allgather_base(host_output, host_input, options), c10d::OpType::_ALLGATHER_BASE, {output});
  }
  WorkPtr allgather_coalesced(std::vector<Tensors>& outputs, Tensors& inputs, const c10d::AllgatherOptions& options) override {
    std::vector<Tensors> host_outputs = host_lists(outputs);
    Tensors host_inputs = host_tensors(inputs);
    return done(inner_->allgather_coalesced(host_outputs, host_inputs, options), c10d::OpType::COALESCED, inputs);
  }
  WorkPtr allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs, const c10d::AllgatherOptions& options) override {
    for (size_t i = 0; i < outputs.size(); ++i) _allgather_base(outputs[i], inputs[i], options);
    return c10::make_intrusive<DoneWork>(getRank(), c10d::OpType::COALESCED, outputs);
  }
  WorkPtr gather(std::vector<Tensors>& outputs, Tensors& inputs, const c10d::GatherOptions& options) override {
    std::vector<Tensors> host_outputs = host_lists(outputs);
    Tensors host_inputs = host_tensors(inputs);
    return done(inner_->gather(host_outputs, host_inputs, options), c10d::OpType::GATHER, outputs.empty() ? inputs : outputs[0]);
  }
  WorkPtr scatter(Tensors& outputs, std::vector<Tensors>& inputs, const c10d::ScatterOptions& options) override {
    Tensors host_outputs = host_tensors(outputs);
    std::vector<Tensors> host_inputs = host_lists(inputs);
    return done(inner_->scatter(host_outputs, host_inputs, options), c10d::OpType::SCATTER, outputs);
  }
  // Gloo has no complete reduce-scatter for every dtype and operator: an all-reduce whose own part is kept.
  WorkPtr reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs, const c10d::ReduceScatterOptions& options) override {
    for (size_t i = 0; i < outputs.size(); ++i) {
      for (int rank = 0; rank < getSize(); ++rank) {
        Tensors part{host_tensor(inputs[i].at(rank)).clone()};
        reduce_host(part, options);
        if (rank == getRank()) host_tensor(outputs[i]).copy_(part[0]);
      }
    }
    return c10::make_intrusive<DoneWork>(getRank(), c10d::OpType::REDUCE_SCATTER, outputs);
  }
  WorkPtr _reduce_scatter_base(at::Tensor& output, at::Tensor& input, const c10d::ReduceScatterOptions& options) override {
    Tensors whole{host_tensor(input).clone()};
    TORCH_CHECK(input.numel() == output.numel() * getSize(), "input tensor must be the same size as output size times world size");
    reduce_host(whole, options);
    host_tensor(output).view({-1}).copy_(whole[0].view({getSize(), -1}).select(0, getRank()));
    return c10::make_intrusive<DoneWork>(getRank(), c10d::OpType::_REDUCE_SCATTER_BASE, Tensors{output});
  }
  WorkPtr reduce_scatter_tensor_coalesced(Tensors& outputs, Tensors& inputs, const c10d::ReduceScatterOptions& options) override {
    for (size_t i = 0; i < outputs.size(); ++i) _reduce_scatter_base(outputs[i], inputs[i], options);
    return c10::make_intrusive<DoneWork>(getRank(), c10d::OpType::COALESCED, outputs);
  }
  WorkPtr alltoall_base(at::Tensor& output, at::Tensor& input, std::vector<int64_t>& output_splits,
                        std::vector<int64_t>& input_splits, const c10d::AllToAllOptions& options) override {
    at::Tensor host_output = host_tensor(output);
    at::Tensor host_input = host_tensor(input);
    return done(inner_->alltoall_base(host_output, host_input, output_splits, input_splits, options),
                c10d::OpType::ALLTOALL_BASE, {output});
  }
  WorkPtr alltoall(Tensors& outputs, Tensors& inputs, const c10d::AllToAllOptions& options) override {
    Tensors host_outputs = host_tensors(outputs);
    Tensors host_inputs = host_tensors(inputs);
    return done(inner_->alltoall(host_outputs, host_inputs, options), c10d::OpType::ALLTOALL, outputs);
  }
  // Point to point stays asynchronous: two ranks that both post a receive first must not wait for each other.
  WorkPtr send(Tensors& tensors, int to, int tag) override {
    Tensors host = host_tensors(tensors);
    return inner_->send(host, to, tag);
  }
  WorkPtr recv(Tensors& tensors, int from, int tag) override {
    Tensors host = host_tensors(tensors);
    return inner_->recv(host, from, tag);
  }
  WorkPtr recvAnysource(Tensors& tensors, int tag) override {
    Tensors host = host_tensors(tensors);
    return inner_->recvAnysource(host, tag);
  }
  WorkPtr barrier(const c10d::BarrierOptions& options) override { return done(inner_->barrier(options), c10d::OpType::BARRIER, {}); }
  void abort() override { inner_->abort(); }
  void shutdown() override { inner_->shutdown(); }

 private:
  WorkPtr done(const WorkPtr& work, c10d::OpType type, const Tensors& tensors) {
    work->wait();
    return c10::make_intrusive<DoneWork>(getRank(), type, tensors);
  }
  // Gloo knows no average: it sums, and the sum is divided here.
  static bool take_average(c10d::ReduceOp& operation) {
    if (operation != c10d::ReduceOp::AVG) return false;
    operation = c10d::ReduceOp::SUM;
    return true;
  }
  void divide(bool is_average, Tensors& host) const {
    if (!is_average) return;
    for (at::Tensor& tensor : host) tensor.div_(getSize());
  }
  void reduce_host(Tensors& host, const c10d::ReduceScatterOptions& options) {
    c10d::AllreduceOptions all;
    all.reduceOp = options.reduceOp;
    all.timeout = options.timeout;
    bool is_average = take_average(all.reduceOp);
    inner_->allreduce(host, all)->wait();
    divide(is_average, host);
  }

  c10::intrusive_ptr<c10d::Backend> inner_;
  std::string name_;
};

}  // namespace

c10::intrusive_ptr<c10d::Backend> make_collective(c10::intrusive_ptr<c10d::Backend> inner, const std::string& name) {
  return c10::make_intrusive<Collective>(std::move(inner), name);
}

}  // namespace starbridge::emulated
