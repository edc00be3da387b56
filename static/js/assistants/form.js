// The form of an assistant: another row of policies.

const rows = document.querySelector("[data-rows]");
const add = document.querySelector("[data-add-row]");

add.hidden = false;
add.addEventListener("click", () => {
  const row = rows.querySelector("[data-row]:last-child").cloneNode(true);
  row.querySelector("input").value = "";
  rows.append(row);
  row.querySelector("input").focus();
});
