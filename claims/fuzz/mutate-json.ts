import type { SeededRandom } from "../../measure/seeded-random.ts";
import { hostileValue, prototypeKeys } from "./hostile-values.ts";

type Container = unknown[] | Record<string, unknown>;

/**
 * Changes one place of a JSON value: another type, a missing or renamed or added key, a value of another place, or a list
 * that has an item twice. The argument is changed too.
 */
export function mutateJson(value: unknown, random: SeededRandom): unknown {
  const containers: Container[] = [];
  collectContainers(value, containers);
  const [first, ...others] = containers;
  if (first === undefined || random.nextBelow(25) === 0) return hostileValue(random);
  // The fields of the message itself decide how it is read.
  const container = random.nextBelow(3) === 0 ? first : random.pick([first, ...others]);
  const keys = Object.keys(container);
  const key = keys[random.nextBelow(keys.length)];
  if (key === undefined) {
    setOwn(container, random.pick(prototypeKeys), hostileValue(random));
    return value;
  }
  switch (random.nextBelow(8)) {
    case 0:
      removeKey(container, key);
      break;
    case 1:
      setOwn(container, random.pick(prototypeKeys), Reflect.get(container, key));
      removeKey(container, key);
      break;
    case 2:
      setOwn(container, random.pick(prototypeKeys), hostileValue(random));
      break;
    case 3: {
      // The value of another place: ids repeat, and fields get values of another type that the agent does use.
      const source = random.pick([first, ...others]);
      const sourceKeys = Object.keys(source);
      const copied: unknown = Reflect.get(source, sourceKeys[random.nextBelow(sourceKeys.length)] ?? "");
      setOwn(container, key, copied === undefined ? null : structuredClone(copied));
      break;
    }
    case 4:
      if (Array.isArray(container)) container.push(structuredClone(container[Number(key)]));
      else setOwn(container, key, [Reflect.get(container, key)]);
      break;
    default:
      setOwn(container, key, hostileValue(random));
  }
  return value;
}

function collectContainers(value: unknown, containers: Container[]): void {
  if (typeof value !== "object" || value === null) return;
  containers.push(value as Container);
  for (const item of Object.values(value)) collectContainers(item, containers);
}

function removeKey(container: Container, key: string): void {
  if (Array.isArray(container)) container.splice(Number(key), 1);
  else delete container[key];
}

/** Sets an own property, also one named `__proto__`. JSON has only the items of an array. */
function setOwn(container: Container, key: string, value: unknown): void {
  if (Array.isArray(container) && !(key in container && /^\d+$/.test(key))) {
    container.push(value);
    return;
  }
  Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true });
}
