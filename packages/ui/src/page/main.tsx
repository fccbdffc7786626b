import "./frame/tokens.css";
import "./frame/frame.css";
// First of all: it starts the engine, which reads while the rest of the page is still being put together.
import { ClusterProvider } from "./frame/cluster-state.js";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Shell } from "./frame/shell.js";
import { followTheme } from "./frame/theme.js";

followTheme();
createRoot(document.getElementById("page")!).render(
  <StrictMode>
    <ClusterProvider>
      <Shell />
    </ClusterProvider>
  </StrictMode>,
);
