import { createRoot } from "react-dom/client";

createRoot(document.getElementById("page")!).render(<h1>Tierwall</h1>);
