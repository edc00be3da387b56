// Collects while the page lives; `benchmark.begin()` starts a period, `benchmark.end()` answers it.

(() => {
  let period = empty();
  let last = null;
  globalThis.benchmark = {
    begin() {
      period = empty();
      last = null;
    },
    end: () => period,
  };
  observe("longtask", ({ duration }) => period.tasks.push(duration));
  observe("event", ({ duration }) => period.inputs.push(duration), { durationThreshold: 16 });
  observe("layout-shift", ({ value, hadRecentInput }) => {
    if (!hadRecentInput) period.shift += value;
  });
  requestAnimationFrame(frame);

  function empty() {
    return { frames: [], tasks: [], inputs: [], shift: 0 };
  }

  function observe(type, take, options = {}) {
    const observer = new PerformanceObserver((list) => list.getEntries().forEach(take));
    observer.observe({ type, buffered: true, ...options });
  }

  function frame(now) {
    if (last !== null) period.frames.push(now - last);
    last = now;
    requestAnimationFrame(frame);
  }
})();
