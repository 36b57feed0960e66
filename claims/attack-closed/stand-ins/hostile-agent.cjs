// What both stand-ins can do besides their protocols. An attack's script sees these functions as its variables.
const fs = require("node:fs");
const childProcess = require("node:child_process");
const net = require("node:net");

const answers = [];
let waiting = null;

/** Appends a line to the file that the attack reads. */
function log(value) {
  fs.appendFileSync(process.env.HOME + "/agent.log", `${JSON.stringify(value)}\n`);
}

/** An answer to a permission request: logged, and returned by the next call of `answer`. */
function answered(answer) {
  log(answer);
  if (waiting === null) answers.push(answer);
  else waiting(answer);
  waiting = null;
}

const host = {
  fs,
  childProcess,
  net,
  process,
  log,
  answered,
  answer: () => (answers.length > 0 ? answers.shift() : new Promise((resolve) => (waiting = resolve))),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  readLines(onMessage) {
    let rest = "";
    process.stdin.on("data", (data) => {
      const lines = `${rest}${data}`.split("\n");
      rest = lines.pop();
      for (const line of lines) if (line !== "") onMessage(JSON.parse(line));
    });
    process.stdin.on("end", () => process.exit(0));
  },
};

async function runScript(script, abilities) {
  const AsyncFunction = async function () {}.constructor;
  try {
    await new AsyncFunction("abilities", `with (abilities) { ${script} }`)(abilities);
  } catch (error) {
    log(String(error.stack));
    abilities.text(`The script failed: ${error.stack}`);
    abilities.done();
  }
}

module.exports = { host, runScript };
