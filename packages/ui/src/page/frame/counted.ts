/** `2,400`. Written out here, as the formats of `Intl` take long to make, and the first answer waits for this file. */
export const figure = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");

/** `1 pod`, `2,400 pods`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${figure(count)} ${count === 1 ? one : many}`;
}
