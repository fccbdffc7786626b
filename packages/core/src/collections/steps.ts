/** Does all steps of something that could be interrupted between them. */
export function completed<T>(steps: Iterator<unknown, T>, afterStep?: () => void): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    afterStep?.();
  }
}
