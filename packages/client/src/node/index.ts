export type { NodeAddress, ServiceUrl } from "./node-address.ts";
export { nodeTransport } from "./node-transport.ts";
