import { costOfFrame, type MeasuredCosts } from "./measured-costs.ts";

/** What a fleet must carry, and what its machines are. */
export interface FleetLoad {
  readonly sessions: number;
  /** Events per second of all sessions together. */
  readonly rate: number;
  /** The milliseconds for which the events of a session are collected into one frame. 0: each event is a frame. */
  readonly pace: number;
}

export interface FleetMachines {
  /** The processors of one server. A cell has three servers. */
  readonly cores: number;
  /** The streams of the log. */
  readonly streams: number;
  /** The sessions that one host drives. */
  readonly sessionsPerHost: number;
}

export interface FleetPlan {
  readonly framesPerSecond: number;
  readonly eventsPerFrame: number;
  readonly rowsPerSecond: number;
  /** Clusters of three servers. Sessions are divided among them. */
  readonly cells: number;
  readonly servers: number;
  /** Processors that are busy in all servers together. */
  readonly busyCores: number;
  /** Of each cell. */
  readonly inFlightPerStream: number;
  readonly microsecondsPerFrame: number;
  /** Of one replica. Three exist. */
  readonly diskBytesPerDay: number;
  /** Of each server, for the subjects of the sessions. */
  readonly memoryBytesPerServer: number;
  readonly hosts: number;
}

export const serversPerCell = 3;
/** Servers that are busier answer late, and have no reserve when one of three is lost. */
export const usableShare = 0.4;
/** A host writes the row of a session at most so often. */
const maxRowsPerSession = 1;
const secondsPerDay = 86_400;

/** Computes what a load needs from what frames cost the servers. */
export function planFleet(load: FleetLoad, machines: FleetMachines, costs: MeasuredCosts): FleetPlan {
  const { sessions, rate, pace } = load;
  const maxFrames = pace === 0 ? rate : (sessions * 1000) / pace;
  const framesPerSecond = Math.min(rate, maxFrames);
  const rowsPerSecond = Math.min(framesPerSecond, sessions * maxRowsPerSession);
  const rowCores = (rowsPerSecond * costs.rowMicroseconds) / 1e6;
  const coresPerCell = serversPerCell * machines.cores * usableShare;
  const usageOf = (cells: number) => {
    const framesPerCell = framesPerSecond / cells;
    const inFlightPerStream = (framesPerCell * costs.appendMilliseconds) / 1000 / machines.streams;
    const microsecondsPerFrame = costOfFrame(costs, machines.streams, inFlightPerStream);
    return {
      inFlightPerStream,
      microsecondsPerFrame,
      cores: (framesPerCell * microsecondsPerFrame) / 1e6 + rowCores / cells,
    };
  };
  // More cells have fewer appends in flight each, and a frame costs more then. Few steps suffice: the cost is bounded.
  let cells = 1;
  while (usageOf(cells).cores > coresPerCell) cells = Math.max(cells + 1, Math.floor(cells * 1.02));
  const { inFlightPerStream, microsecondsPerFrame, cores } = usageOf(cells);
  return {
    framesPerSecond,
    eventsPerFrame: rate / framesPerSecond,
    rowsPerSecond,
    cells,
    servers: cells * serversPerCell,
    busyCores: cores * cells,
    inFlightPerStream,
    microsecondsPerFrame,
    diskBytesPerDay: (framesPerSecond * costs.bytesPerFrame + rate * costs.bytesPerEvent) * secondsPerDay,
    memoryBytesPerServer: (sessions / cells) * costs.bytesPerSession,
    hosts: Math.ceil(sessions / machines.sessionsPerHost),
  };
}
