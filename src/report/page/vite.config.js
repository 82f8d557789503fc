// One file without addresses in it: script and styles go into the page, and the policy in its head allows that
// one script by its hash and no network at all.
import { createHash } from "node:crypto";
import { defineConfig } from "vite";

const policy = (hash) =>
  `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data: blob:; ` +
  "base-uri 'none'; form-action 'none'";

function oneFile() {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_, bundle) {
      const take = (ending) => {
        const name = Object.keys(bundle).find((key) => key.endsWith(ending));
        const part = bundle[name];
        delete bundle[name];
        return part.code ?? part.source;
      };
      // The text stands in a script element: nothing in it may end that, or begin a comment.
      const script = take(".js").replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--").trim();
      const hash = createHash("sha256").update(script).digest("base64");
      const page = bundle["index.html"];
      page.source = page.source
        .replace(/<script type="module"[^>]*><\/script>\s*/, "")
        .replace(/<link rel="stylesheet"[^>]*>\s*/, () => `<style>${take(".css").trim()}</style>\n`)
        .replace("<!--policy-->", () => `<meta http-equiv="Content-Security-Policy" content="${policy(hash)}">`)
        .replace("<!--program-->", () => `<script type="module">${script}</script>`);
    },
  };
}

export default defineConfig({
  plugins: [oneFile()],
  build: {
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    chunkSizeWarningLimit: 2000,
    rollupOptions: { output: { inlineDynamicImports: true } },
  },
});
