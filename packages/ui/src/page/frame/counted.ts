const digits = new Intl.NumberFormat("en-US");

/** `1 pod`, `2,400 pods`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${digits.format(count)} ${count === 1 ? one : many}`;
}

export const figure = (count: number): string => digits.format(count);
