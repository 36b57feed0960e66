import { parseSync, Visitor, type Expression, type ObjectAssignmentTarget, type ObjectPattern } from "oxc-parser";

/**
 * Finds the names that a source text reads from an environment, in the order of the text. An environment is a variable or
 * a property named `env` or `environment`. Names that are computed are not found. The name of the file says whether its
 * source has elements, which are no TypeScript elsewhere.
 */
export function findReads(source: string, file = "source.ts"): string[] {
  if (!/\b(?:env|environment)\b/.test(source)) return [];
  const { program, errors } = parseSync(file, source);
  const [error] = errors;
  if (error !== undefined) throw new Error(`The source cannot be parsed: ${error.message}`);
  const names = new Set<string>();
  const addPattern = ({ properties }: ObjectPattern | ObjectAssignmentTarget): void => {
    for (const property of properties) {
      if (property.type !== "Property") continue;
      const name = property.computed ? readText(property.key) : readKey(property.key);
      // A name such as `incoming` is a binding of Hono's `context.env`. Variables in lower case have underscores.
      if (name !== null && !/^[a-z][a-zA-Z]*$/.test(name)) names.add(name);
    }
  };
  const addText = (expression: { readonly type: string }): void => {
    const name = readText(expression);
    if (name !== null) names.add(name);
  };
  new Visitor({
    // process.env["NAME"], env?.["NAME"], process.env.NAME
    MemberExpression(node) {
      if (!isEnvironment(node.object)) return;
      if (node.computed) addText(node.property);
      // A property in lower case is a method, such as `environment.get`.
      else if (/^[A-Z][A-Z0-9_]*$/.test(readKey(node.property) ?? "")) names.add(readKey(node.property) ?? "");
    },
    // const { NAME, OTHER: name = "" } = process.env
    VariableDeclarator({ id, init }) {
      if (id.type === "ObjectPattern" && init !== null && isEnvironment(init)) addPattern(id);
    },
    // ({ NAME } = process.env)
    AssignmentExpression({ left, right }) {
      if (left.type === "ObjectPattern" && isEnvironment(right)) addPattern(left);
    },
    // ({ NAME } = process.env) => …
    AssignmentPattern({ left, right }) {
      if (left.type === "ObjectPattern" && isEnvironment(right)) addPattern(left);
    },
    // "NAME" in process.env
    BinaryExpression({ left, operator, right }) {
      if (operator === "in" && isEnvironment(right)) addText(left);
    },
    // Object.hasOwn(process.env, "NAME")
    CallExpression({ callee, arguments: [object, key] }) {
      if (callee.type !== "MemberExpression" || readKey(callee.property) !== "hasOwn") return;
      if (object !== undefined && key !== undefined && isEnvironment(object)) addText(key);
    },
  }).visit(program);
  return [...names];
}

function isEnvironment(node: { readonly type: string }): boolean {
  const expression = node as Expression;
  switch (expression.type) {
    case "Identifier":
      return isEnvironmentName(expression.name);
    case "MemberExpression":
      return isEnvironmentName((expression.computed ? readText : readKey)(expression.property) ?? "");
    case "ChainExpression":
    case "ParenthesizedExpression":
    case "TSAsExpression":
    case "TSNonNullExpression":
    case "TSSatisfiesExpression":
      return isEnvironment(expression.expression);
    case "LogicalExpression":
      return isEnvironment(expression.left) || isEnvironment(expression.right);
    default:
      return false;
  }
}

function isEnvironmentName(name: string): boolean {
  return name === "env" || name === "environment";
}

/** Returns the text of a string without substitutions, or null. */
function readText(node: { readonly type: string }): string | null {
  const expression = node as Expression;
  if (expression.type === "Literal") return typeof expression.value === "string" ? expression.value : null;
  if (expression.type !== "TemplateLiteral" || expression.expressions.length > 0) return null;
  return expression.quasis[0]?.value.cooked ?? null;
}

/** Returns the name of a property that is not computed. */
function readKey(node: { readonly type: string }): string | null {
  const key = node as Expression;
  return key.type === "Identifier" ? key.name : readText(key);
}
