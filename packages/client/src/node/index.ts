export { type NodeAddress, nodeTransport } from "./node-transport.ts";
