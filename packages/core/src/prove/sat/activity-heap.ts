/** The variables that may be decided on, the most active one first: a binary heap that knows where each of them is. */
export class ActivityHeap {
  readonly activity: number[] = [];
  private readonly heap: number[] = [];
  /** Where a variable is in the heap; -1 where it is not. */
  private readonly positions: number[] = [];
  private readonly isDecided: boolean[] = [];
  private increment = 1;

  /** It is inserted where it matters. A variable that is not decided on is never in the heap. */
  add(variable: number, isDecided: boolean): void {
    this.activity[variable] = 0;
    this.positions[variable] = -1;
    this.isDecided[variable] = isDecided;
  }

  insert(variable: number): void {
    if (this.positions[variable]! >= 0 || !this.isDecided[variable]!) return;
    this.positions[variable] = this.heap.length;
    this.heap.push(variable);
    this.up(this.heap.length - 1);
  }

  clear(): void {
    for (const variable of this.heap) this.positions[variable] = -1;
    this.heap.length = 0;
  }

  /** The most active variable, which leaves the heap. */
  pop(): number | undefined {
    const top = this.heap[0];
    const last = this.heap.pop();
    if (top === undefined || last === undefined) return undefined;
    this.positions[top] = -1;
    if (this.heap.length > 0) {
      this.place(last, 0);
      this.down(0);
    }
    return top;
  }

  /** A variable took part in a conflict. */
  bump(variable: number): void {
    this.activity[variable]! += this.increment;
    if (this.activity[variable]! > 1e100) this.rescale();
    const position = this.positions[variable]!;
    if (position >= 0) this.up(position);
  }

  /** Later conflicts count more than earlier ones. */
  decay(): void {
    this.increment /= 0.95;
  }

  private rescale(): void {
    for (let variable = 0; variable < this.activity.length; variable++) this.activity[variable]! *= 1e-100;
    this.increment *= 1e-100;
  }

  private place(variable: number, position: number): void {
    this.heap[position] = variable;
    this.positions[variable] = position;
  }

  private up(start: number): void {
    const variable = this.heap[start]!;
    const weight = this.activity[variable]!;
    let position = start;
    while (position > 0) {
      const parent = (position - 1) >> 1;
      const other = this.heap[parent]!;
      if (this.activity[other]! >= weight) break;
      this.place(other, position);
      position = parent;
    }
    this.place(variable, position);
  }

  private down(start: number): void {
    const variable = this.heap[start]!;
    const weight = this.activity[variable]!;
    let position = start;
    for (;;) {
      let child = 2 * position + 1;
      if (child >= this.heap.length) break;
      const right = child + 1;
      if (right < this.heap.length && this.activity[this.heap[right]!]! > this.activity[this.heap[child]!]!)
        child = right;
      const other = this.heap[child]!;
      if (this.activity[other]! <= weight) break;
      this.place(other, position);
      position = child;
    }
    this.place(variable, position);
  }
}
