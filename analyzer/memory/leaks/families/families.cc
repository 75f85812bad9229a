// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/leaks/families/families.h"

#include <algorithm>
#include <cmath>

#include "base/units.h"

namespace inquest::memory {
namespace {

using Level = std::function<double(int64_t step)>;  // MiB

double Uniform(Random* random, double low, double high) {
  return std::uniform_real_distribution<>(low, high)(*random);
}

double LogUniform(Random* random, double low, double high) {
  return std::exp(Uniform(random, std::log(low), std::log(high)));
}

int64_t Whole(Random* random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(*random);
}

double Noise(Random* random, double deviation) {
  return std::normal_distribution<>(0, deviation)(*random);
}

struct MadeSite {
  int64_t stack = 0;
  Level level;
};

// Plays such sites into the site table: in each step each site allocates and
// frees some scratch memory, then moves to its level.
void Play(const std::vector<MadeSite>& made, MadeRun* run) {
  std::vector<int64_t> held(made.size());
  for (int64_t step = 0; step < run->steps; ++step) {
    for (size_t i = 0; i < made.size(); ++i) {
      const size_t site = run->sites.Find(made[i].stack, 0);
      const auto level =
          std::llround(std::max(0.0, made[i].level(step)) * kMiB);
      run->sites.OnAlloc(site, 64 << 20);
      run->sites.OnFree(site, 64 << 20);
      if (level > held[i]) run->sites.OnAlloc(site, level - held[i]);
      if (level < held[i]) run->sites.OnFree(site, held[i] - level);
      held[i] = level;
    }
    run->sites.EndStep(step);
  }
}

void PlayWithOthers(std::vector<MadeSite> made, Random* random, MadeRun* run) {
  const double weights = Uniform(random, 100, 4000);
  made.push_back({kFirstHealthyStack + 1, [=](int64_t) { return weights; }});
  made.push_back({kFirstHealthyStack + 2,
                  [=](int64_t) { return weights + Uniform(random, 0, 50); }});
  Play(made, run);
}

// A leak that keeps this much per step on average.
struct Leaking {
  double rate;  // MiB a step
  int64_t steps;
};

Leaking Draw(Random* random, MadeRun* run) {
  run->steps = Whole(random, 120, 1500);
  run->leaking = 1;
  const auto n = static_cast<double>(run->steps);
  return {LogUniform(random, 0.1, 64) * std::min(1.0, 400 / n), run->steps};
}

void Leak(Level level, Random* random, MadeRun* run) {
  PlayWithOthers({{kFirstLeakingStack, std::move(level)}}, random, run);
}

void Healthy(Level level, Random* random, MadeRun* run) {
  if (run->steps == 0) run->steps = Whole(random, 120, 1500);
  PlayWithOthers({{kFirstHealthyStack, std::move(level)}}, random, run);
}

Family Leaks(const char* name,
             std::function<void(const Leaking&, Random*, MadeRun*)> make) {
  return {name, true, [make](Random* random, MadeRun* run) {
            const Leaking leaking = Draw(random, run);
            make(leaking, random, run);
          }};
}

std::vector<Family> LeakingFamilies() {
  std::vector<Family> all;
  all.push_back(Leaks("constant", [](auto& of, Random* random, MadeRun* run) {
    const double base = Uniform(random, 0, 500);
    run->bytes_per_step = of.rate * kMiB;
    Leak([=](int64_t step) { return base + of.rate * double(step); }, random,
         run);
  }));
  all.push_back(Leaks("every k-th step", [](auto& of, Random* random,
                                            MadeRun* run) {
    const int64_t k = Whole(random, 2, of.steps / 12);
    run->bytes_per_step = of.rate * kMiB;
    Leak([=](int64_t s) { return of.rate * double(s / k * k); }, random, run);
  }));
  all.push_back(Leaks("noisy", [](auto& of, Random* random, MadeRun* run) {
    const double noise =
        of.rate * double(of.steps) * Uniform(random, 0.01, 0.1);
    run->bytes_per_step = of.rate * kMiB;
    Leak(
        [=](int64_t s) {
          return 4 * noise + of.rate * double(s) + Noise(random, noise);
        },
        random, run);
  }));
  all.push_back(
      Leaks("under a sawtooth", [](auto& of, Random* random, MadeRun* run) {
        const int64_t period = Whole(random, 3, of.steps / 12);
        const double tooth = of.rate * double(of.steps) *
                             LogUniform(random, 0.1, 4) / double(period);
        run->bytes_per_step = of.rate * kMiB;
        Leak(
            [=](int64_t s) {
              return of.rate * double(s) + tooth * double(s % period);
            },
            random, run);
      }));
  all.push_back(
      Leaks("starts late", [](auto& of, Random* random, MadeRun* run) {
        const auto begin =
            static_cast<int64_t>(double(of.steps) * Uniform(random, 0.1, 0.75));
        const double base = Uniform(random, 0, 800);
        run->bytes_per_step = of.rate * kMiB;
        run->first_step = begin;
        Leak(
            [=](int64_t s) {
              return base + of.rate * double(std::max<int64_t>(0, s - begin));
            },
            random, run);
      }));
  all.push_back(Leaks("growing pieces", [](auto& of, Random* random,
                                           MadeRun* run) {
    const double power = Uniform(random, 1.2, 3);
    const auto n = double(of.steps);
    Leak(
        [=](int64_t s) { return of.rate * n * std::pow(double(s) / n, power); },
        random, run);
  }));
  all.push_back(Leaks(
      "pieces of random size", [](auto& of, Random* random, MadeRun* run) {
        auto sum = std::make_shared<double>(0);
        run->bytes_per_step = of.rate * kMiB;
        Leak([=](int64_t) { return *sum += of.rate * Uniform(random, 0, 2); },
             random, run);
      }));
  all.push_back(
      Leaks("at random steps", [](auto& of, Random* random, MadeRun* run) {
        auto sum = std::make_shared<double>(0);
        const double odds =
            std::min(1.0, LogUniform(random, 60.0 / double(of.steps), 1));
        Leak(
            [=](int64_t) {
              if (Uniform(random, 0, 1) < odds) *sum += of.rate / odds;
              return *sum;
            },
            random, run);
      }));
  all.push_back(Leaks("after a warm-up", [](auto& of, Random* random,
                                            MadeRun* run) {
    const int64_t warm = Whole(random, 1, of.steps / 12);
    const double base = of.rate * double(of.steps) * Uniform(random, 0.2, 8);
    run->bytes_per_step = of.rate * kMiB;
    Leak(
        [=](int64_t s) {
          return base * double(std::min(s, warm)) / double(warm) +
                 of.rate * double(s);
        },
        random, run);
  }));
  all.push_back(Leaks(
      "half freed at epoch end", [](auto& of, Random* random, MadeRun* run) {
        const int64_t epoch = Whole(random, 4, of.steps / 14);
        const double kept = Uniform(random, 0.1, 0.9);
        run->bytes_per_step = of.rate * kept * kMiB;
        Leak(
            [=](int64_t s) {
              return of.rate *
                     (kept * double(s / epoch * epoch) + double(s % epoch));
            },
            random, run);
      }));
  all.push_back(
      Leaks("several sites", [](auto& of, Random* random, MadeRun* run) {
        std::vector<MadeSite> made;
        run->leaking = static_cast<size_t>(Whole(random, 2, 4));
        for (size_t i = 0; i < run->leaking; ++i) {
          const double rate = of.rate * Uniform(random, 0.5, 2);
          if (i == 0) run->bytes_per_step = rate * kMiB;
          made.push_back({kFirstLeakingStack + static_cast<int64_t>(i),
                          [=](int64_t s) { return rate * double(s); }});
        }
        PlayWithOthers(std::move(made), random, run);
      }));
  return all;
}

using Make = std::function<Level(double n, double size, Random*)>;

// `n` steps, `size` MiB.
Family InOrder(const char* name, Make make) {
  return {name, false, [make](Random* random, MadeRun* run) {
            run->steps = Whole(random, 120, 1500);
            const double size = LogUniform(random, 8, 8000);
            Healthy(make(double(run->steps), size, random), random, run);
          }};
}

std::vector<Family> HealthyFamilies() {
  std::vector<Family> all;
  all.push_back(InOrder("constant", [](double, double size, Random*) {
    return [=](int64_t) { return size; };
  }));
  all.push_back(InOrder("noise", [](double, double size, Random* random) {
    const double part = Uniform(random, 0.02, 0.3);
    return [=](int64_t) { return size + Noise(random, size * part); };
  }));
  all.push_back(
      InOrder("variable lengths", [](double, double size, Random* random) {
        return [=](int64_t) { return size * LogUniform(random, 0.1, 1); };
      }));
  all.push_back(InOrder("sawtooth", [](double n, double size, Random* random) {
    const auto period = double(Whole(random, 3, int64_t(n / 2.2)));
    const double phase = Uniform(random, 0, period);
    return [=](int64_t s) {
      return size * std::fmod(double(s) + phase, period) / period;
    };
  }));
  all.push_back(
      InOrder("uneven sawtooth", [](double n, double size, Random* random) {
        auto held = std::make_shared<double>(0);
        const double rise = size / (n * Uniform(random, 0.03, 0.2));
        return [=](int64_t) {
          *held += rise;
          if (*held > size * Uniform(random, 0.8, 3)) *held = 0;
          return *held;
        };
      }));
  all.push_back(InOrder("cache that fills", [](double n, double size,
                                               Random* random) {
    const double full = n * Uniform(random, 0.02, 0.7);
    return [=](int64_t s) { return size * std::min(1.0, double(s) / full); };
  }));
  all.push_back(InOrder("cache of random hits", [](double n, double size,
                                                   Random* random) {
    // The share of k keys that were drawn after s draws: 1 - (1 - 1/k)^s.
    const double keys = n * Uniform(random, 0.02, 0.35);
    return [=](int64_t s) { return size * (1 - std::exp(-double(s) / keys)); };
  }));
  all.push_back(InOrder("grows as a logarithm", [](double n, double size,
                                                   Random* random) {
    const double scale = n * LogUniform(random, 0.001, 0.08);
    return [=](int64_t s) { return size * std::log1p(double(s) / scale) / 4; };
  }));
  all.push_back(InOrder("grows as a root", [](double n, double size, Random*) {
    return [=](int64_t s) { return size * std::sqrt(double(s) / n); };
  }));
  all.push_back(
      InOrder("stairs of batches", [](double n, double size, Random* random) {
        std::vector<double> at;
        const int64_t stairs = Whole(random, 1, 5);
        for (int64_t i = 0; i < stairs; ++i)
          at.push_back(Uniform(random, 0, n));
        return [=](int64_t s) {
          double level = size;
          for (const double one : at) level += double(s) >= one ? size : 0;
          return level;
        };
      }));
  all.push_back(InOrder(
      "even stairs of batches", [](double n, double size, Random* random) {
        const auto stairs = double(Whole(random, 2, 5));
        return [=](int64_t s) {
          return size * std::floor(double(s) / n * stairs + 1);
        };
      }));
  all.push_back(
      InOrder("noisy stairs", [](double n, double size, Random* random) {
        const auto stairs = double(Whole(random, 2, 4));
        const double noise = size * Uniform(random, 0.01, 0.2);
        return [=](int64_t s) {
          return size * std::floor(double(s) / n * stairs + 1) +
                 Noise(random, noise);
        };
      }));
  all.push_back(InOrder("warm-up", [](double n, double size, Random* random) {
    const double warm = n * Uniform(random, 0.01, 0.2);
    const double noise = size * Uniform(random, 0, 0.05);
    return [=](int64_t s) {
      return size * std::min(1.0, double(s) / warm) + Noise(random, noise);
    };
  }));
  all.push_back(InOrder("evaluation phases", [](double n, double size,
                                                Random* random) {
    const auto period = double(Whole(random, 10, int64_t(n / 3)));
    const double length = period * Uniform(random, 0.05, 0.5);
    return [=](int64_t s) {
      return size * (std::fmod(double(s), period) > period - length ? 2 : 1);
    };
  }));
  all.push_back(
      InOrder("one-off jump", [](double n, double size, Random* random) {
        const double at = n * Uniform(random, 0.02, 0.98);
        return [=](int64_t s) { return double(s) >= at ? 2 * size : size; };
      }));
  all.push_back(
      InOrder("random walk", [](double n, double size, Random* random) {
        auto at = std::make_shared<double>(size);
        return [=](int64_t) {
          *at = std::abs(*at + Noise(random, size / std::sqrt(n)));
          return *at;
        };
      }));
  all.push_back(
      InOrder("walk that returns", [](double n, double size, Random* random) {
        auto off = std::make_shared<double>(0);
        const double back = LogUniform(random, 4, 40) / n;
        return [=](int64_t) {
          *off += Noise(random, size / std::sqrt(n)) - back * *off;
          return 2 * size + *off;
        };
      }));
  all.push_back(InOrder("shrinks", [](double n, double size, Random* random) {
    const double noise = size * Uniform(random, 0, 0.1);
    return [=](int64_t s) {
      return size * (2 - double(s) / n) + Noise(random, noise);
    };
  }));
  return all;
}

}  // namespace

const std::vector<Family>& Families() {
  static const auto* families = [] {
    auto* all = new std::vector<Family>(LeakingFamilies());
    for (Family& one : HealthyFamilies()) all->push_back(std::move(one));
    return all;
  }();
  return *families;
}

}  // namespace inquest::memory
