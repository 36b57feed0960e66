export { browserTransport } from "./browser-transport.ts";
export { RemoteFairlead, type RemoteFairleadOptions } from "./remote-fairlead.ts";
export type { OfferedTools } from "./offer-tools.ts";
export type { SocketConnection, Transport } from "./transport.ts";
