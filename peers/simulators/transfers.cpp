// Transfers of 64 bytes that SimGrid simulates a second: two hosts joined by a link a direction, and actors that each send the next line
// when the last has come. This is the traffic of cores that read from the other socket, with the data's way alone: no requests,
// no home agents, no memory, and no queues, because SimGrid shares a link's rate among the flows on it.
//
//     transfers ACTORS TRANSFERS-PER-ACTOR
//
// It prints transfers per second of its own CPU time, and to standard error the bandwidth that it simulated.

#include <simgrid/s4u.hpp>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

namespace sg4 = simgrid::s4u;

static double cpu_seconds()
{
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

int main(int argc, char** argv)
{
  // What the model of links adds to a rate and a latency for TCP's sake does not exist inside a machine.
  const char* settings[] = {argv[0],
                            "--cfg=network/model:CM02",
                            "--cfg=network/latency-factor:1",
                            "--cfg=network/bandwidth-factor:1",
                            "--cfg=network/weight-S:0",
                            "--cfg=network/TCP-gamma:0",
                            "--cfg=network/crosstraffic:0",
                            "--cfg=surf/precision:1e-12",
                            "--log=root.thresh:error",
                            nullptr};
  int simgrid_argc       = 9;
  char** simgrid_argv    = const_cast<char**>(settings);
  sg4::Engine engine(&simgrid_argc, simgrid_argv);
  const int actors     = argc > 1 ? std::atoi(argv[1]) : 32;
  const int per_actor  = argc > 2 ? std::atoi(argv[2]) : 10000;
  sg4::NetZone* zone   = sg4::create_full_zone("machine");
  sg4::Host* hosts[2]  = {zone->create_host("socket-0", 1e9), zone->create_host("socket-1", 1e9)};
  sg4::Link* links[2]  = {zone->create_link("0-1", 20e9)->set_latency(25e-9)->seal(),
                          zone->create_link("1-0", 20e9)->set_latency(25e-9)->seal()};
  zone->add_route(hosts[0]->get_netpoint(), hosts[1]->get_netpoint(), nullptr, nullptr, {sg4::LinkInRoute(links[0])}, false);
  zone->add_route(hosts[1]->get_netpoint(), hosts[0]->get_netpoint(), nullptr, nullptr, {sg4::LinkInRoute(links[1])}, false);
  zone->seal();

  for (int rank = 0; rank < actors; rank++) {
    sg4::Host* from = hosts[rank % 2];
    sg4::Host* to   = hosts[1 - rank % 2];
    sg4::Actor::create("reader-" + std::to_string(rank), to, [from, to, per_actor]() {
      for (int transfer = 0; transfer < per_actor; transfer++)
        sg4::Comm::sendto(from, to, 64);
    });
  }
  const double before = cpu_seconds();
  engine.run();
  const double took = cpu_seconds() - before;
  const double transfers = actors * static_cast<double>(per_actor);
  std::printf("%.0f\n", transfers / took);
  std::fprintf(stderr, "simulated: %.1f GB/s\n", 64e-9 * transfers / sg4::Engine::get_clock());
  return 0;
}
