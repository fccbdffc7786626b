/** Numbers pairs of numbers, each pair once: 0, 1, 2 and so on. */
export class PairNumbers {
  private readonly numbers = new Map<number, Map<number, number>>();
  private count = 0;

  of(first: number, second: number): number {
    let seconds = this.numbers.get(first);
    if (seconds === undefined) {
      seconds = new Map();
      this.numbers.set(first, seconds);
    }
    let number = seconds.get(second);
    if (number === undefined) {
      number = this.count++;
      seconds.set(second, number);
    }
    return number;
  }
}
