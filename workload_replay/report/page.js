// SPDX-License-Identifier: GPL-2.0-only
// Folded chapters are printed, too, and open where a link leads into them.
const folded = Array.from(document.querySelectorAll("details"));
window.addEventListener("beforeprint", () => folded.forEach((part) => { part.open = true; }));
document.querySelectorAll("nav a").forEach((link) => link.addEventListener("click", () => {
    const part = document.querySelector(link.getAttribute("href"));
    if (part && part.tagName === "DETAILS") { part.open = true; }
}));
