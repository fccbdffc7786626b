import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ClusterProvider } from "./frame/cluster/cluster-state.js";
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
