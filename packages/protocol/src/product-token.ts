/** By what robots.txt groups and robots directives address us, as in the User-Agent. */
export const PRODUCT_TOKEN = 'mingabot'
