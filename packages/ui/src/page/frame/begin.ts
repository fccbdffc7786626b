import { load } from "../worker/ask.js";
import type { StateSource } from "../worker/given-state.js";

export const serverState: StateSource = { server: new URL("api/v1/state", document.baseURI).href, files: [] };

/** The engine starts before anything is drawn, and reads meanwhile. What goes wrong is told by whoever waits for it. */
export const begun = load(serverState);
begun.catch(() => undefined);
