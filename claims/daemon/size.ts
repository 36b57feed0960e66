/** How large a proof is made: as large as it must be, or as `FAIRLEAD_SIZE=sessions=5,lines=100` says for a try. */
export function size(name: string, full: number): number {
  const said = new RegExp(`(?:^|,)${name}=(\\d+)`).exec(process.env["FAIRLEAD_SIZE"] ?? "")?.[1];
  return said === undefined ? full : Number(said);
}
