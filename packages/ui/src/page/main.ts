import "./frame/tokens.css";
import "./frame/frame.css";
// This starts the engine, which reads while the rest of the page, which is much larger, is still on its way.
import { begun } from "./frame/cluster/begin.js";

// The page reports what goes wrong.
begun.catch(() => undefined);
void import("./draw.js");
