"use strict";
// Elements by name, properties and what is in them.
const zerohopElement = (name, properties = {}, ...children) => {
  const made = document.createElement(name);
  const { data = {}, attributes = {}, ...rest } = properties;
  Object.assign(made, rest);
  Object.assign(made.dataset, data);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
};
