import "./frame/tokens.css";
import "./frame/frame.css";
// This starts the engine, which reads while the rest of the page, which is much larger, is still on its way.
import { begun } from "./frame/cluster/begin.js";

// What goes wrong is told by whoever waits for it.
begun.catch(() => undefined);
void import("./draw.js");
