import { load } from "../../worker/ask.js";
import type { StateSource } from "../../worker/given-state.js";
import { reportProgress } from "./progress.js";

export const serverState: StateSource = { server: new URL("api/v1/state", document.baseURI).href, files: [] };

/** The engine starts before anything is drawn, and reads meanwhile. */
export const begun = load(serverState, reportProgress);
