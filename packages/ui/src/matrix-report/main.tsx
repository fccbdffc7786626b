import "../page/frame/tokens.css";
import "../page/frame/frame.css";
import type { MatrixReport } from "@tierwall/core/report";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { followTheme } from "../page/frame/theme.js";
import { ReportPage } from "./report-page.js";

followTheme();
const report = JSON.parse(document.getElementById("matrix")!.textContent) as MatrixReport;
createRoot(document.getElementById("report")!).render(
  <StrictMode>
    <ReportPage report={report} />
  </StrictMode>,
);
