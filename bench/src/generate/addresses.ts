/* IPv4 addresses as numbers: where nodes and pods have theirs. */

export const nodeRange = "10.0.0.0/16";
export const podRange = "10.128.0.0/9";

export function nodeAddress(node: number): number {
  return 0x0a00000a + node;
}

/** Each node has a block of 256, of which the first two are not for pods. */
export function podAddress(node: number, place: number): number {
  return 0x0a800002 + node * 256 + place;
}

export function dotted(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join(".");
}
