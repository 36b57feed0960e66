export { runGateway, type RunGatewayOptions } from "./fleet/run-gateway.ts";
export { runHost, type RunHostOptions } from "./fleet/run-host.ts";
export { drainMethod, hostAddress, moveMethod, undoDrainMethod } from "@fairlead/fleet";
