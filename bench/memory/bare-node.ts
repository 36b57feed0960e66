/** A node that does nothing, to see what that costs: `node bare-node.ts`. */
setInterval(() => {}, 2 ** 30);
console.log("up");
