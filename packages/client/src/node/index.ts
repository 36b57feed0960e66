export { type NodeAddress, nodeWire } from "./node-wire.ts";
