import { testLogOnServers } from "@fairlead/testing/nats/test-log-on-servers.ts";

testLogOnServers(1);
