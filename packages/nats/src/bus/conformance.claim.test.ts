import { testBusOnServers } from "@fairlead/testing/nats/test-bus-on-servers.ts";

testBusOnServers(3);
