// oxlint-disable no-control-regex -- control characters are what this file is about
/** Where an image or a link of a hostile text leads. No request may go there. */
export const hostileHost = "hostile.example";

const url = `http://${hostileHost}/x`;
const run = `window.hasRun=true`;

const html: readonly string[] = [
  `<img src=x onerror="${run}" data-hostile>`,
  `<script data-hostile>${run}</script>`,
  `<svg onload="${run}" data-hostile><script>${run}</script></svg>`,
  `<iframe srcdoc="<script>parent.hasRun=true</script>" data-hostile></iframe>`,
  `<iframe src="javascript:${run}" data-hostile></iframe>`,
  `<object data="${url}" data-hostile></object>`,
  `<embed src="${url}" data-hostile>`,
  `<link rel=stylesheet href="${url}.css" data-hostile>`,
  `<style data-hostile>body{display:none}</style>`,
  `<base href="http://${hostileHost}/" data-hostile>`,
  `<meta http-equiv=refresh content="0;url=${url}" data-hostile>`,
  `<form action="${url}" data-hostile><button autofocus onfocus="${run}">Allow once</button></form>`,
  `<details open ontoggle="${run}" data-hostile>x</details>`,
  `<video src="${url}" autoplay onerror="${run}" data-hostile></video>`,
  `<math><mtext><table><mglyph><style><img src=x onerror="${run}" data-hostile>`,
  `</p></div></main></body><img src="${url}" data-hostile>`,
  `"><img src=x onerror=${run} data-hostile>`,
  `'-alert(1)-' onmouseover='${run}' data-hostile='`,
  `<a href="javascript:${run}" data-hostile>click</a>`,
  `<div style="position:fixed;inset:0;z-index:9999" data-hostile>Allow once</div>`,
  `&lt;img src=x onerror=${run} data-hostile&gt; &#60;script&#62;`,
  `{{constructor.constructor('${run}')()}} \${${run}} <%= ${run} %>`,
];

const links: readonly string[] = [
  `[click](javascript:${run})`,
  `[click](JaVaScRiPt:${run})`,
  `[click](&#106;avascript:${run})`,
  `[click](java\tscript:${run})`,
  `[click](\u0001javascript:${run})`,
  `[click](data:text/html,<script>opener.hasRun=true</script>)`,
  `[click](vbscript:msgbox)`,
  `[click](blob:${url})`,
  `[click](file:///etc/passwd)`,
  `[click](//${hostileHost}/x)`,
  `[https://bank.example](${url})`,
  `<https://bank.example@${hostileHost}/>`,
  `[click](${url} "title\\" onmouseover=${run} data-hostile=\\"")`,
  `![image](${url}.png)`,
  `![image](data:image/svg+xml,<svg onload=${run}>)`,
  `[![image](${url}.png)](javascript:${run})`,
  `[ref]\n\n[ref]: javascript:${run}`,
];

const markdown: readonly string[] = [
  `\`\`\`html\n<img src=x onerror=${run} data-hostile>\n\`\`\``,
  `\`\`\`"><img src=x onerror=${run} data-hostile>\nx\n\`\`\``,
  `| a |\n|---|\n| <img src=x onerror=${run} data-hostile> |`,
  `${"> ".repeat(500)}deep`,
  "[".repeat(2000),
  "*a _b ".repeat(400),
];

const invisible: readonly string[] = [
  `rm -rf \u202e/tmp/evil\u202c safe`,
  `\u2066\u2067isolated\u2069 text`,
  `zero\u200bwidth\u200d\ufeff`,
  `tags \u{e0041}\u{e0042}\u{e007f}`,
  `\u061c\u200e\u200fmarks`,
  `\u001b[2J\u001b[31mred\u001b[0m`,
  `\u001b]0;title\u0007`,
  `\u001b]8;;http://${hostileHost}\u0007link\u001b]8;;\u0007`,
  `\u001b]52;c;aGFja2Vk\u0007`,
  `nul\u0000and\u0008\u007fback`,
  `one\r\ntwo\u2028three\u2029four\u0085five`,
  `\ud800 alone \udfff`,
];

const names: readonly string[] = ["__proto__", "constructor", "toString"];
const long: readonly string[] = ["x".repeat(20_000), "a\u0301".repeat(3000), "line\n".repeat(3000)];

/** Texts that an agent may write to get out of the place where a page shows them. */
export const hostileTexts: readonly string[] = [...html, ...links, ...markdown, ...invisible, ...names, ...long];
