import { useEffect, useState } from "react";
import { serverState } from "./begin.js";
import { useCluster } from "./cluster-state.js";
import { readDropped } from "./dropped-files.js";

/** Manifests that are dropped anywhere on the page are looked at here, in the browser: nothing is sent anywhere. */
export function FileDrop() {
  const { state, open } = useCluster();
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    const isFile = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes("Files") === true;
    const over = (event: DragEvent) => {
      if (!isFile(event)) return;
      event.preventDefault();
      setIsOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setIsOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!isFile(event) || event.dataTransfer === null) return;
      event.preventDefault();
      setIsOver(false);
      const adds = event.target instanceof Element && event.target.closest("[data-adds]") !== null;
      void readDropped(event.dataTransfer).then((files) => {
        if (files.length === 0) return;
        const before = adds && state.status === "ready" ? state.source : serverState;
        void open(adds ? { ...before, files: [...before.files, ...files] } : { files });
      });
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, [state, open]);
  if (!isOver) return null;
  return (
    <div className="file-drop">
      <div>
        <h2>Look at these instead</h2>
        <p>The page shows only the dropped files.</p>
      </div>
      <div data-adds="">
        <h2>Add them</h2>
        <p>To what is shown now. A file replaces one of the same name.</p>
      </div>
      <p className="file-drop-note">Nothing is sent anywhere: the engine runs in this page.</p>
    </div>
  );
}
