/**
 * A rule of the linter: private members are written `#name`. The modifier `private` is only a type; `#name` is private
 * when the code runs as well. The fix changes the declaration, and the types then name the uses.
 */
const rule = {
  meta: { type: 'suggestion', fixable: 'code' },
  /** @param {any} context */
  create(context) {
    /** @param {any} node */
    function check(node) {
      if (node.accessibility !== 'private' && node.accessibility !== 'protected') return
      context.report({
        node,
        message: `Write '#${node.key?.name ?? 'name'}' in place of '${node.accessibility}'.`,
        fix: (/** @type {any} */ fixer) =>
          node.key === undefined
            ? null
            : [
                fixer.replaceTextRange(findModifier(context.sourceCode.getText(node), node), ''),
                fixer.insertTextBefore(node.key, '#'),
              ],
      })
    }
    return { PropertyDefinition: check, MethodDefinition: check, TSParameterProperty: check }
  },
}

/**
 * @param {string} text
 * @param {any} node
 */
function findModifier(text, node) {
  const start = node.range[0] + text.indexOf(node.accessibility)
  return [start, start + node.accessibility.length + 1]
}

// oxlint-disable-next-line import/no-default-export -- the linter imports the default
export default { meta: { name: 'yonder' }, rules: { 'private-members': rule } }
