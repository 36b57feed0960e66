export { browserTransport } from "./browser-transport.ts";
export { RemoteFairlead, type RemoteFairleadOptions } from "./remote-fairlead.ts";
export type { Transport } from "./transport.ts";
