/** Where a node of a NATS cluster listens, each as host and port. */
export interface NatsAddresses {
  readonly client: string;
  readonly peer: string;
  readonly monitor: string;
}

/** A user of the servers. */
export interface NatsUser {
  readonly user: string;
  readonly pass: string;
}

export interface NatsConfig {
  readonly name: string;
  readonly storeFolder: string;
  readonly addresses: NatsAddresses;
  /** The addresses of all nodes for each other. With fewer than two the server is not part of a cluster. */
  readonly peers: readonly string[];
  readonly syncAlways: boolean;
  readonly maxPayload: string;
  readonly application: NatsUser;
  /** The user of the system account, if the servers have one that clients can use. */
  readonly system: NatsUser | undefined;
}

/** Writes the configuration file of a node. */
export function formatNatsConfig(config: NatsConfig): string {
  const { addresses, application, system } = config;
  const formatUser = ({ user, pass }: NatsUser): string => `users: [{ user: "${user}", password: "${pass}" }]`;
  const lines = [
    `server_name: ${config.name}`,
    `listen: "${addresses.client}"`,
    `http: "${addresses.monitor}"`,
    `max_payload: ${config.maxPayload}`,
    `jetstream {`,
    `  store_dir: "${config.storeFolder}"`,
    `  max_mem: 256MB`,
    `  max_file: 20GB`,
    ...(config.syncAlways ? [`  sync_interval: always`] : []),
    `}`,
    `accounts {`,
    `  FLEET { jetstream: enabled, ${formatUser(application)} }`,
    ...(system === undefined ? [] : [`  SYS { ${formatUser(system)} }`]),
    `}`,
    ...(system === undefined ? [] : [`system_account: SYS`]),
  ];
  if (config.peers.length > 1) {
    const routes = config.peers.map((peer) => `"nats-route://${peer}"`).join(", ");
    lines.push(`cluster { name: fleet, listen: "${addresses.peer}", routes: [${routes}] }`);
  }
  return `${lines.join("\n")}\n`;
}
