// Applies one ruleset after the other, some of them on trial, until it is killed.
import { KernelTable } from "../../packages/agent/dist/index.js";
import { rulesetOf } from "./varying-rulesets.mjs";

const opened = await KernelTable.open({ table: "tierwall", connectionMask: 0xffff0000 });
if (!opened.ok) throw new Error(opened.message);
const table = opened.value;
console.log("ready");
for (let number = Number(process.argv[2]); ; number++) {
  if (number % 5 > 0) await table.apply(rulesetOf(number));
  else {
    await table.startTrial(rulesetOf(number), 60);
    await (number % 2 === 0 ? table.confirm() : table.giveUp());
  }
}
