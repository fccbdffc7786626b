/** Fields that may be undefined. */
export type Given<T> = { readonly [Field in keyof T]?: Exclude<T[Field], undefined> };

/** The fields that are not undefined: an optional field is absent instead of undefined. */
export function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}
