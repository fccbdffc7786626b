import type { EdgeLook } from "../worker/questions/map.js";

const words: Readonly<Record<EdgeLook["verdict"], string>> = {
  allowed: "allowed",
  partly: "allowed for some pods",
  undecided: "undecided",
  denied: "denied",
};

/** `443/TCP`, `denied: any`; also for screen readers. */
export function lookText({ verdict, ports }: EdgeLook): string {
  return verdict === "allowed" || verdict === "partly" ? ports : `${words[verdict]}: ${ports}`;
}

/** Names for style sheets: how wide, and of which verdict. */
export const lookClass = ({ verdict, weight }: EdgeLook): string => `edge-${verdict} weight-${weight}`;
