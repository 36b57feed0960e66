export { browserTransport } from "./browser-transport.ts";
export { ConnectionLost } from "./connection-lost.ts";
export { exchangeCode } from "./exchange-code.ts";
export { RemoteFairlead, type RemoteFairleadOptions } from "./remote-fairlead.ts";
export type { OfferedTools } from "./offer-tools.ts";
export type { SocketConnection, Transport } from "./transport.ts";
export { KeySender, type KeySenderOptions, type LostKeys } from "./terminal/key-sender.ts";
export { takeTerminal, type TakenTerminal } from "./terminal/take-terminal.ts";
