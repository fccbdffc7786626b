/* How far reading has come. Apart from React, as reading begins before that is there. */

let read = 0;
const listeners = new Set<() => void>();

export const progressNow = (): number => read;

export function reportProgress(objects: number): void {
  read = objects;
  for (const listener of listeners) listener();
}

export function subscribeToProgress(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
