/** Fields that may be undefined. */
export type Given<T> = { readonly [Field in keyof T]?: Exclude<T[Field], undefined> };

/** Those of the fields that are given: an optional field is absent where there is nothing to say. */
export function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}
